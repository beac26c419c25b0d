"""The seq2seq baselines of HINT's tables 2 and 3: networks, and their model kind."""
