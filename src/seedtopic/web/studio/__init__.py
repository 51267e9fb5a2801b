"""The studio: seeds edited in a page, with their labels beside them."""
