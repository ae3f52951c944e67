"""Take README's pictures of the real app on the sample runs: ``python docs/pictures/take.py``.

Needs Chromium; start the app first and name its address if it is not the default one.
"""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
ADDRESS = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8501"
PICTURES = {
    "timeline": (
        "timeline?source=thr_invoice_42-fork&checkpoint=%406&at=%2Fstatus",
        1440,
        860,
        "light",
    ),
    "diff": ("diff?source=T-80001&checkpoint=%401", 1440, 900, "dark"),
    "why": ("runs", 1440, 720, "light"),
    "transcript": ("transcript?source=T-80001", 1440, 900, "light"),
    "present": ("transcript?source=T-80001&view=present&at=%2Fsteps%2F5", 1280, 720, "dark"),
}

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(
        executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
    )
    for name, (place, width, height, scheme) in PICTURES.items():
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            reduced_motion="reduce",
        )
        page = context.new_page()
        page.goto(f"{ADDRESS}/{place}")
        page.locator(".frame .title").wait_for()
        page.wait_for_timeout(9000)
        if name == "transcript":
            page.get_by_role("button", name="LK-615204").first.click()
            page.wait_for_timeout(1000)
        page.screenshot(path=HERE / f"{name}.png")
        context.close()
    browser.close()
