package com.thumbturn.internal;

import static com.thumbturn.internal.Phone.check;
import static com.thumbturn.internal.Phone.equal;

import java.util.Arrays;

final class MessageTests {
    @Test("what is written is read")
    void roundTrip() {
        byte[] message = new Message.Writer()
                .number(Long.MIN_VALUE)
                .flag(true)
                .text("Zürich")
                .text(null)
                .bytes(new byte[] {1, 2})
                .bytes(new byte[0])
                .numberOrNull(null)
                .numberOrNull(-1)
                .toBytes();
        Message.Reader reader = new Message.Reader(message);
        equal(Long.MIN_VALUE, reader.number());
        equal(true, reader.flag());
        equal("Zürich", reader.text());
        equal(null, reader.textOrNull());
        check(Arrays.equals(new byte[] {1, 2}, reader.bytes()), "bytes differ");
        equal(0, reader.bytes().length);
        equal(null, reader.bytesOrNull());
        equal(-1L, reader.number());
        reader.end();
    }

    @Test("the bytes are those of the contract")
    void bytes() {
        byte[] expected = {0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 1, 2, -1, -1, -1, -1, 0, 0, 0, 1, 'a'};
        check(Arrays.equals(expected, new Message.Writer().number(258).bytes(null).text("a").toBytes()), "bytes differ");
    }

    @Test("a message of another shape is refused, whatever its lengths say")
    void malformed() {
        byte[][] messages = {
            {},
            {0, 0, 0},
            {0, 0, 0, 1},
            {0x7f, -1, -1, -1, 0},
            {-1, -1, -1, -2},
            {(byte) 0x80, 0, 0, 0},
        };
        for (byte[] message : messages) {
            refused(() -> new Message.Reader(message).bytes());
        }
        refused(() -> new Message.Reader(new Message.Writer().bytes(null).toBytes()).bytes());
        refused(() -> new Message.Reader(new Message.Writer().bytes(new byte[7]).toBytes()).number());
        refused(() -> new Message.Reader(new Message.Writer().number(2).toBytes()).flag());
        refused(() -> new Message.Reader(new Message.Writer().number(1L << 40).toBytes()).number(0, Integer.MAX_VALUE));
        refused(() -> new Message.Reader(new byte[1]).end());
    }

    @Test("a text of an array is that of the string, and the array stays as it is")
    void characters() {
        for (String text : new String[] {"", "739150", "Zürich €", "\ud83d\ude00"}) {
            char[] characters = text.toCharArray();
            check(Arrays.equals(
                    new Message.Writer().text(text).toBytes(), new Message.Writer().characters(characters).toBytes()), text);
            equal(text, new String(characters));
        }
    }

    @Test("arrays that a message has outgrown are wiped, and so is what was taken over")
    void outgrown() throws ReflectiveOperationException {
        Buffer buffer = new Buffer();
        java.lang.reflect.Field field = Buffer.class.getDeclaredField("bytes");
        field.setAccessible(true);
        byte[] secret = new byte[100];
        Arrays.fill(secret, (byte) 7);
        buffer.append(secret, 0, 60);
        byte[] first = (byte[]) field.get(buffer);
        buffer.append(secret, 0, 100);
        check(Arrays.equals(new byte[first.length], first), "the first array keeps the secret");
        byte[] second = (byte[]) field.get(buffer);
        equal(160, buffer.toArray().length);
        buffer.wipe();
        check(Arrays.equals(new byte[second.length], second) && buffer.size() == 0, "the buffer keeps the secret");
        new Message.Writer().wiping(secret);
        check(Arrays.equals(new byte[100], secret), "the array keeps the secret");
    }

    @Test("nothing is read from a wiped message, and its rest is a message of its own")
    void wiped() {
        Message.Reader reader = new Message.Reader(new Message.Writer().number(1).text("a").toBytes());
        equal(1L, reader.number());
        Message.Reader rest = reader.rest();
        reader.end();
        reader.wipe();
        refused(reader::number);
        equal("a", rest.text());
        rest.end();
    }

    private static void refused(Runnable reading) {
        try {
            reading.run();
        } catch (IllegalArgumentException expected) {
            return;
        }
        throw new AssertionError("a malformed message was read");
    }
}
