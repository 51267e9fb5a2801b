"""The seed studio: a local web page for writing seeds, with labels that update after every edit."""
