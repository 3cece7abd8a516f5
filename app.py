"""Streamlit entry: navigation only (``workbench app``, or ``streamlit run app.py``)."""

from workbench.ui.navigation import run

if __name__ == "__main__":  # worker processes import this module too
    run()
