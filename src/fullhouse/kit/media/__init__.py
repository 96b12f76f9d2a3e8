"""Pictures, files, PDF, CSV and QR codes."""
