"""Cover images: uploads, which are re-encoded, and generated posters."""
