"""The panels as Components v2: mounted in Streamlit, what is chosen in them read back."""
