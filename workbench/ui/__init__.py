"""The Streamlit app: the only part of the package that imports Streamlit."""
