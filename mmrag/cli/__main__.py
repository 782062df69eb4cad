"""``python -m mmrag.cli``, for where the ``mmrag`` script is not on the path."""

from mmrag.cli import main

main()
