"""What every room uses: errors and their wording, files, arrays, progress, threads, blocks of work."""
