"""Data frames as Plotly figures, and the status machine as a Graphviz drawing.

No figure sets ``clickmode`` or ``dragmode``: Streamlit's selection ends where one does.
"""

from viewer.charts.areas import growth
from viewer.charts.machine import machine
from viewer.charts.spending import duration, usage

__all__ = ["duration", "growth", "machine", "usage"]
