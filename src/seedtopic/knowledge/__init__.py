"""What is known of words and texts from outside: word vectors, encoders, and answers of language models."""
