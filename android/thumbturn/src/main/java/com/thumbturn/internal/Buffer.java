package com.thumbturn.internal;

import java.util.Arrays;

/** Bytes that are collected one after another. They may be secret, so each array that they leave is wiped. */
final class Buffer {
    private static final int FIRST = 64;

    private byte[] bytes = new byte[FIRST];
    private int size;

    int size() {
        return size;
    }

    void append(byte[] from, int start, int count) {
        if (count > bytes.length - size) {
            grow(Math.addExact(size, count));
        }
        System.arraycopy(from, start, bytes, size, count);
        size += count;
    }

    void append(Buffer other) {
        append(other.bytes, 0, other.size);
    }

    byte[] toArray() {
        return Arrays.copyOf(bytes, size);
    }

    /** Overwrites the bytes; the buffer is empty then. */
    void wipe() {
        Arrays.fill(bytes, (byte) 0);
        size = 0;
    }

    private void grow(int needed) {
        byte[] outgrown = bytes;
        // An array cannot have twice the bytes of the longest one.
        bytes = Arrays.copyOf(outgrown, Math.max(needed, Math.max(outgrown.length * 2, FIRST)));
        Arrays.fill(outgrown, (byte) 0);
    }
}
