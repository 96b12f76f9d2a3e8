"""Cover images: uploaded ones, encoded anew, and generated posters."""
