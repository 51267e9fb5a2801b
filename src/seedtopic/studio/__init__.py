"""The seed studio: a local page on which a person writes seeds and sees at once what they do."""
