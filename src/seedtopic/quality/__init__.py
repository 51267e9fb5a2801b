"""What could be better, and how good labels are: seeds, documents, samples."""
