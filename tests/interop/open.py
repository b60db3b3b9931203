"""Opens a pqbox file. Written from docs/format.md alone: the proof that it can be done.

usage: open.py SECRET_PEM IN OUT, with PyPI `cryptography` 50 or later (no ML-KEM-512 there)
Of a directory that was sealed, OUT is the archive.
A file that was sealed by a passphrase takes that of PQBOX_PASSPHRASE.
"""

import base64
import hashlib
import hmac
import io
import os
import pathlib
import re
import struct
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes, hpke, serialization
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

# Stanza type: KEM, bytes of enc, bytes of the public key.
KEMS = {0x0041: (hpke.KEM.MLKEM768, 1088, 1184), 0x0042: (hpke.KEM.MLKEM1024, 1568, 1568)}
PASSPHRASE = 0xFF01
MAX_STANZAS, MAX_BODY, MAX_HEADER = 4096, 64 << 10, 8 << 20
SEALED_CHUNK, TAG, MAX_CHUNKS = (16 << 10) + 16, 16, 1 << 38


def check(condition, message):
    if not condition:
        sys.exit(f"open.py: {message}")


def expand(key, info, length):
    return HKDFExpand(hashes.SHA512(), length, info).derive(key)


def without_armor(data):
    """The bytes of the file, which may be in armor."""
    begin = data[: 64 << 10].find(b"-----BEGIN PQBOX FILE-----")
    if data.startswith(b"\x89pqbox\r\n\x1a\n") or begin < 0:
        return data
    body = data[begin + 26 :]
    text, dash, rest = body.partition(b"-")
    check((dash + rest).startswith(b"-----END PQBOX FILE-----"), "armor without its end")
    check(b"-----BEGIN PQBOX FILE-----" not in rest, "two files in armor")
    text = re.sub(rb"[ \t\n\f\r]", b"", text)
    decoded = base64.b64decode(text, validate=True)
    check(base64.b64encode(decoded) == text, "damaged armor")
    return decoded


def read_header(file):
    """What the mac is over, the mac, and the stanzas of known types: type, key id, message."""
    header = bytearray()

    def take(length):
        data = file.read(length)
        header.extend(data)
        check(len(data) == length, "truncated header")
        return data

    check(take(10) == b"\x89pqbox\r\n\x1a\n", "not a pqbox file")
    version, content, count = struct.unpack(">BBH", take(4))
    check(version == 1 and content < 4, "unknown version or content")
    check(1 <= count <= MAX_STANZAS, "stanza count out of range")
    stanzas = []
    for _ in range(count):
        kind, length = struct.unpack(">HI", take(6))
        check(length <= MAX_BODY and len(header) + length + 32 <= MAX_HEADER, "header too long")
        body = take(length)
        if kind in KEMS:
            check(length == 8 + KEMS[kind][1] + 48, "stanza of a wrong length")
            stanzas.append((kind, body[:8], body[8:]))
        elif kind == PASSPHRASE:
            check((length, count) == (76, 1), "malformed stanza of a passphrase")
            stanzas.append((kind, bytes(8), body))
    names = [stanza[:2] for stanza in stanzas if any(stanza[1])]
    check(len(names) == len(set(names)), "two stanzas for one key")
    return bytes(header), take(32), stanzas


def check_mac(file_key, header, mac):
    expected = hmac.digest(expand(file_key, b"pqbox/1 header", 32), header, "sha512")
    check(hmac.compare_digest(mac, expected[:32]), "corrupted header")
    return file_key


def by_passphrase(body):
    memory, passes, lanes = struct.unpack(">III", body[16:28])
    check(memory <= 1 << 20 and memory * passes <= 1 << 22, "too costly")
    argon2 = Argon2id(
        salt=body[:16], length=44, iterations=passes, lanes=lanes, memory_cost=memory
    )
    okm = argon2.derive(os.environb[b"PQBOX_PASSPHRASE"])
    try:
        return AESGCM(okm[:32]).decrypt(okm[32:], body[28:], None)
    except InvalidTag:
        return check(False, "wrong passphrase")


def unlock(key, header, mac, stanzas):
    encode, spki = serialization.Encoding, serialization.PublicFormat.SubjectPublicKeyInfo
    key_id = hashlib.sha3_256(key.public_key().public_bytes(encode.DER, spki)).digest()[:8]
    public_len = len(key.public_key().public_bytes_raw())
    for kind, name, message in stanzas:
        if kind == PASSPHRASE:
            return check_mac(by_passphrase(message), header, mac)
        if KEMS[kind][2] != public_len or name not in (key_id, bytes(8)):
            continue
        suite = hpke.Suite(KEMS[kind][0], hpke.KDF.SHAKE256, hpke.AEAD.AES_256_GCM)
        try:
            file_key = suite.decrypt(message, key, b"pqbox/1 file key")
        except InvalidTag:
            check(not any(name), "corrupted stanza")
            continue
        return check_mac(file_key, header, mac)
    return check(False, "no stanza for this key")


def chunks(file_key, file):
    salt, commitment = file.read(24), file.read(32)
    info = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0" + salt
    okm = expand(expand(file_key, b"pqbox/1 payload", 32), info, 32 + 12 + 32)
    check(hmac.compare_digest(okm[44:], commitment), "wrong commitment")
    cipher, base_nonce = AESGCM(okm[:32]), int.from_bytes(okm[32:44], "big")
    for number in range(MAX_CHUNKS):
        sealed = file.read(SEALED_CHUNK)
        check(len(sealed) >= TAG, f"truncated: chunk {number} is missing")
        try:
            yield cipher.decrypt((base_nonce ^ number).to_bytes(12, "big"), sealed, None)
        except InvalidTag:
            check(False, f"chunk {number} is corrupted, cut off, or followed by something")
        if len(sealed) < SEALED_CHUNK:
            break


def without_padding(data, header):
    if header[11] < 2:
        return data
    data = data.rstrip(b"\0")
    check(data.endswith(b"\x80"), "no padding")
    return data[:-1]


secret = serialization.load_pem_private_key(pathlib.Path(sys.argv[1]).read_bytes(), None)
source = io.BytesIO(without_armor(pathlib.Path(sys.argv[2]).read_bytes()))
header = read_header(source)
plaintext = b"".join(chunks(unlock(secret, *header), source))
pathlib.Path(sys.argv[3]).write_bytes(without_padding(plaintext, header[0]))
