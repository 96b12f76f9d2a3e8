"""Webhooks: which facts an organisation subscribes to, their deliveries, and retries of failed ones.

`broker/catalogue.py` lists the messages that leave the installation, to webhooks and to the broker alike.
"""
