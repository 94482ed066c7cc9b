#!/usr/bin/env python3
"""slow_proxy.py TO_PORT DELAY_MS CUT_AFTER_S COUNTS: a slow and unreliable network between a client and a server of this machine.

It prints its port. What either side sends arrives DELAY_MS later. A connection is reset after a random time, on average CUT_AFTER_S
seconds; 0: never. The file COUNTS has the number of delayed pieces and of reset connections."""

import asyncio
import json
import pathlib
import random
import socket
import struct
import sys

HOST = "127.0.0.1"


class Proxy:
    def __init__(self, to_port, delay_s, cut_after_s, counts):
        self.to_port = to_port
        self.delay_s = delay_s
        self.cut_after_s = cut_after_s
        self.counts_file = pathlib.Path(counts)
        self.counts = {"delayed": 0, "cut": 0}

    def count(self, what):
        self.counts[what] += 1
        written = self.counts_file.with_suffix(".new")
        written.write_text(json.dumps(self.counts))
        written.replace(self.counts_file)

    async def forward(self, reader, writer):
        """Pieces keep their order, and do not wait for each other."""
        loop = asyncio.get_running_loop()
        pieces = asyncio.Queue()

        async def deliver():
            while True:
                due, piece = await pieces.get()
                await asyncio.sleep(max(0.0, due - loop.time()))
                if not piece:
                    return
                self.count("delayed")
                writer.write(piece)
                await writer.drain()

        delivery = asyncio.create_task(deliver())
        try:
            while True:
                piece = await reader.read(65536)
                pieces.put_nowait((loop.time() + self.delay_s, piece))
                if not piece:
                    break
            await delivery
        finally:
            delivery.cancel()

    async def serve(self, reader, writer):
        try:
            server_reader, server_writer = await asyncio.open_connection(HOST, self.to_port)
        except OSError:
            writer.close()
            return
        ways = [asyncio.create_task(self.forward(reader, server_writer)), asyncio.create_task(self.forward(server_reader, writer))]
        limit = random.expovariate(1 / self.cut_after_s) if self.cut_after_s > 0 else None
        done, running = await asyncio.wait(ways, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        for way in running:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        if not done:
            self.count("cut")
            for end in (writer, server_writer):  # With this option, closing sends a reset.
                end.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        for end in (writer, server_writer):
            end.close()

    async def run(self):
        server = await asyncio.start_server(self.serve, HOST, 0)
        print(server.sockets[0].getsockname()[1], flush=True)
        async with server:
            await server.serve_forever()


def main():
    to_port, delay_ms, cut_after_s, counts = sys.argv[1:]
    asyncio.run(Proxy(int(to_port), float(delay_ms) / 1000, float(cut_after_s), counts).run())


if __name__ == "__main__":
    main()
