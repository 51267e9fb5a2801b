"""From texts to words to counts. Worker processes import this without any package, so it imports nothing."""
