"""What a show sells, and what was sold of it: ticket types, promo codes, prices; tickets and their papers."""
