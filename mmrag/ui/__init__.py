"""The Gradio app's room: empty as yet. Ask with ``mmrag ask`` or :meth:`mmrag.Library.ask`."""
