package com.thumbturn.internal;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * The encoding of requests and answers: a list of fields, each a big-endian 32-bit length and so many bytes.
 *
 * <p>Length -1 is null. A number is a field of 8 bytes, a flag the number 0 or 1, text is UTF-8.
 */
public final class Message {
    private static final int NULL = -1;
    private static final int MOST_BYTES_OF_A_CHAR = 3;

    private Message() {}

    /** Collects the fields of one message. */
    public static final class Writer {
        private final Buffer out = new Buffer();

        public Writer number(long value) {
            return bytes(ByteBuffer.allocate(Long.BYTES).putLong(value).array());
        }

        public Writer numberOrNull(@Nullable Number value) {
            return value == null ? bytes(null) : number(value.longValue());
        }

        public Writer flag(boolean value) {
            return number(value ? 1 : 0);
        }

        public Writer flagOrNull(@Nullable Boolean value) {
            return value == null ? bytes(null) : flag(value);
        }

        public Writer text(@Nullable String value) {
            return value == null ? bytes(null) : wiping(value.getBytes(StandardCharsets.UTF_8));
        }

        /** Appends a text that no string holds. The given array stays the caller's. */
        public Writer characters(char[] value) {
            // An array of the encoder's own would not be wiped, so it gets one that is large enough.
            byte[] encoded = new byte[Math.multiplyExact(value.length, MOST_BYTES_OF_A_CHAR)];
            ByteBuffer into = ByteBuffer.wrap(encoded);
            StandardCharsets.UTF_8.newEncoder()
                    .onMalformedInput(CodingErrorAction.REPLACE)
                    .encode(CharBuffer.wrap(value), into, true);
            length(into.position());
            out.append(encoded, 0, into.position());
            Arrays.fill(encoded, (byte) 0);
            return this;
        }

        /** Appends bytes. The given array stays the caller's. */
        public Writer bytes(@Nullable byte[] value) {
            length(value == null ? NULL : value.length);
            if (value != null) {
                out.append(value, 0, value.length);
            }
            return this;
        }

        /** Appends bytes, and wipes the given array. */
        public Writer wiping(byte[] value) {
            bytes(value);
            Arrays.fill(value, (byte) 0);
            return this;
        }

        /** Appends the bytes of a buffer, and wipes it. */
        Writer wiping(Buffer value) {
            length(value.size());
            out.append(value);
            value.wipe();
            return this;
        }

        /** Appends a list, each element by the function. */
        public <T> Writer list(Collection<T> elements, BiConsumer<Writer, T> element) {
            number(elements.size());
            for (T each : elements) {
                element.accept(this, each);
            }
            return this;
        }

        /** Appends the fields of another message. */
        public Writer fields(Writer other) {
            out.append(other.out);
            return this;
        }

        public byte[] toBytes() {
            return out.toArray();
        }

        /** Overwrites the fields, which may hold secrets; the message is empty then. */
        public void wipe() {
            out.wipe();
        }

        private void length(int length) {
            out.append(ByteBuffer.allocate(Integer.BYTES).putInt(length).array(), 0, Integer.BYTES);
        }
    }

    /** Reads the fields of one message in order; a message of another shape is an {@link IllegalArgumentException}. */
    public static final class Reader {
        private final byte[] message;
        private int position;

        public Reader(byte[] message) {
            this.message = message;
        }

        /** Bytes in an array of their own. */
        @Nullable
        public byte[] bytesOrNull() {
            int length = length();
            return length == NULL ? null : Arrays.copyOfRange(message, take(length), position);
        }

        public byte[] bytes() {
            byte[] bytes = bytesOrNull();
            require(bytes != null, "a field was expected, null was found");
            return bytes;
        }

        public long number() {
            Long number = numberOrNull();
            require(number != null, "a number was expected, null was found");
            return number;
        }

        @Nullable
        public Long numberOrNull() {
            int length = length();
            require(length == NULL || length == Long.BYTES, "a number of 8 bytes was expected");
            return length == NULL ? null : ByteBuffer.wrap(message).getLong(take(length));
        }

        /** Reads a list, each element by the function. */
        public <T> List<T> list(Function<Reader, T> element) {
            long count = number();
            require(count >= 0 && count <= (message.length - position) / Integer.BYTES, "a list is longer than the message");
            List<T> list = new ArrayList<>();
            for (long left = count; left > 0; left--) {
                list.add(element.apply(this));
            }
            return Collections.unmodifiableList(list);
        }

        /** Reads a number between the bounds, both included. */
        public int number(int least, int most) {
            long value = number();
            require(value >= least && value <= most, "a number is out of its bounds");
            return (int) value;
        }

        public boolean flag() {
            return number(0, 1) == 1;
        }

        @Nullable
        public String textOrNull() {
            int length = length();
            return length == NULL ? null : new String(message, take(length), length, StandardCharsets.UTF_8);
        }

        public String text() {
            String text = textOrNull();
            require(text != null, "a text was expected, null was found");
            return text;
        }

        /** The fields that were not read yet, as a message of their own. */
        Reader rest() {
            Reader rest = new Reader(Arrays.copyOfRange(message, position, message.length));
            position = message.length;
            return rest;
        }

        /** Overwrites the message, which may hold secrets. Nothing can be read from it any more. */
        public void wipe() {
            Arrays.fill(message, (byte) 0);
            position = message.length;
        }

        /** Refuses a message with more fields than were read. */
        public void end() {
            require(position == message.length, "the message has more fields than expected");
        }

        /** The length of the next field, which is all in the message, or {@link #NULL}. */
        private int length() {
            require(message.length - position >= Integer.BYTES, "a length of 4 bytes was expected");
            int length = ByteBuffer.wrap(message).getInt(position);
            position += Integer.BYTES;
            require(length >= NULL && length <= message.length - position, "a field is longer than the message");
            return length;
        }

        /** Passes over so many bytes; returns where they begin. */
        private int take(int length) {
            position += length;
            return position - length;
        }

        private static void require(boolean condition, String otherwise) {
            if (!condition) {
                throw new IllegalArgumentException(otherwise);
            }
        }
    }
}
