"""Webhooks: who subscribes to which facts, what is delivered to them, and what becomes of a failed delivery.

`catalogue` lists the messages that leave the installation, to webhooks and to the broker alike.
"""
