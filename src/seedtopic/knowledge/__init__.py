"""What is known of words and texts from outside."""
