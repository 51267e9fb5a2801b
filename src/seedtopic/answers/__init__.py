"""What people have said of documents."""
