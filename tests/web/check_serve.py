#!/usr/bin/env python3
"""`cutis view --serve`: the page, with the headers that isolate it, to this machine alone, until a signal.

usage: check_serve.py CUTIS FOLDER
"""
import http.client
import json
import pathlib
import signal
import socket
import subprocess
import sys


def answer(port, path="/", method="GET", host=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path, headers={"Host": host or f"127.0.0.1:{port}"})
    reply = connection.getresponse()
    return reply.status, dict(reply.getheaders()), reply.read()


def main():
    program, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "page.html"
    page.write_text("<!doctype html><title>T</title><!--cutis-character-->")
    command = [program, "view", "builtin:cylinder", "--page", page, "-o", folder / "out", "--serve", "--json"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        text = ""
        while not text.rstrip().endswith("}"):
            line = server.stdout.readline()
            assert line, f"ended early: {text}"
            text += line
        port = int(json.loads(text)["url"].rstrip("/").rpartition(":")[2])
        status, headers, body = answer(port)
        assert status == 200 and body == (folder / "out/index.html").read_bytes(), status
        assert b"builtin:cylinder" in body
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin" and headers["Cross-Origin-Embedder-Policy"] == "require-corp", headers
        assert answer(port, method="HEAD")[2] == b""
        assert answer(port, "/etc/passwd")[0] == 404 and answer(port, "/../page.html")[0] == 404
        assert answer(port, method="POST")[0] == 405
        assert answer(port, host="elsewhere.example")[0] == 403, "a name of another site that points here"
        assert answer(port, host=f"localhost:{port}")[0] == 200
        # A connection that says nothing is left after a while, and the next one is answered.
        silent = socket.create_connection(("127.0.0.1", port))
        assert answer(port)[0] == 200
        silent.close()
        listening = [line.split()[1] for line in open("/proc/net/tcp") if line.split()[3] == "0A"]
        assert f"0100007F:{port:04X}" in listening and f"00000000:{port:04X}" not in listening, "the loopback alone"
    finally:
        server.send_signal(signal.SIGINT)
        ended = server.wait(timeout=10)
    assert ended == -signal.SIGINT, ended


if __name__ == "__main__":
    main()
