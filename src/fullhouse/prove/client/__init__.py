"""What a client was told, compared with the database: `fullhouse prove --log`."""
