"""Streamlit's entry point: page config, navigation, run."""
