"""A tiny SMTP server in this process. It takes mail, or misbehaves as a test wishes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage


class Smtp:
    """`mails` came in whole; `commands` are the words that clients said, in order."""

    def __init__(self) -> None:
        self.url = ""
        self.mails: list[EmailMessage] = []
        self.raw: list[bytes] = []
        self.commands: list[str] = []
        self.extensions: list[str] = []
        self.refuse: dict[str, str] = {}  # command, or address -> answer in its place
        self.hang: set[str] = set()  # commands that are never answered
        self.drop: set[str] = set()  # commands on which the line breaks; at "taken" after the whole mail has come in
        self.takes_s = 0.0  # for each mail
        self.connections = 0
        self.busy = self.most_at_once = 0  # connections that are being served
        self.open: list[asyncio.StreamWriter] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        def say(text: str) -> None:
            writer.write(f"{text}\r\n".encode())

        self.connections += 1
        self.busy += 1
        self.most_at_once = max(self.most_at_once, self.busy)
        self.open.append(writer)
        say("220 here")
        while line := await reader.readline():
            command = line.split()[0].decode().upper() if line.split() else ""
            self.commands.append(command)
            refused = [
                answer for word, answer in self.refuse.items() if word == command or f"<{word}>" in line.decode()
            ]
            if command in self.hang:
                await reader.read()  # until the other side has had enough
            elif command in self.drop:
                break
            elif refused:
                say(refused[0])
            elif command == "EHLO":
                for extension in ("here", *self.extensions):
                    say(f"250-{extension}")
                say("250 OK")
            elif command == "DATA":
                say("354 go on")
                body = await reader.readuntil(b"\r\n.\r\n")
                self.raw.append(body.removesuffix(b".\r\n"))
                self.mails.append(message_from_bytes(self.raw[-1], policy=policy.default))
                if "taken" in self.drop:
                    break
                await asyncio.sleep(self.takes_s)
                say("250 taken")
            elif command == "QUIT":
                say("221 bye")
                break
            else:
                say("235 OK" if command == "AUTH" else "250 OK")
        self.busy -= 1
        writer.close()


@asynccontextmanager
async def serving() -> AsyncIterator[Smtp]:
    smtp = Smtp()
    server = await asyncio.start_server(smtp.serve, "127.0.0.1")
    smtp.url = f"smtp://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield smtp
    finally:
        server.close()
        for writer in smtp.open:
            writer.close()
