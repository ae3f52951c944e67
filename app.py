"""Streamlit's entry point: navigation, then the chosen page."""

from viewer.ui.page import navigation

navigation().run()
