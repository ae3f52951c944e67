"""What the panels draw and the modules that draw it: strip, state tree, diff, verdict.

Pure: payload builders in Python, plain ES modules and style sheets. `viewer.ui.panels` mounts them
in Streamlit, the HTML report in a file of its own.
"""
