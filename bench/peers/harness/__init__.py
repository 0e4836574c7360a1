"""The parts of the comparison; ``bench/peers/run.py`` is the command."""
