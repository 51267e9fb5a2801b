"""What counts and seeds say before anything is learned."""
