package com.thumbturn.internal;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
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

    private Message() {}

    /** Collects the fields of one message. */
    public static final class Writer {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

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
            return bytes(value == null ? null : value.getBytes(StandardCharsets.UTF_8));
        }

        public Writer bytes(@Nullable byte[] value) {
            int length = value == null ? NULL : value.length;
            byte[] prefix = ByteBuffer.allocate(Integer.BYTES).putInt(length).array();
            out.write(prefix, 0, prefix.length);
            if (value != null) {
                out.write(value, 0, value.length);
            }
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
            byte[] bytes = other.toBytes();
            out.write(bytes, 0, bytes.length);
            return this;
        }

        public byte[] toBytes() {
            return out.toByteArray();
        }
    }

    /** Reads the fields of one message in order; a message of another shape is an {@link IllegalArgumentException}. */
    public static final class Reader {
        private final byte[] message;
        private int position;

        public Reader(byte[] message) {
            this.message = message;
        }

        @Nullable
        public byte[] bytesOrNull() {
            require(message.length - position >= Integer.BYTES, "a length of 4 bytes was expected");
            int length = ByteBuffer.wrap(message).getInt(position);
            position += Integer.BYTES;
            if (length == NULL) {
                return null;
            }
            require(length >= 0 && length <= message.length - position, "a field is longer than the message");
            position += length;
            return Arrays.copyOfRange(message, position - length, position);
        }

        public byte[] bytes() {
            byte[] bytes = bytesOrNull();
            require(bytes != null, "a field was expected, null was found");
            return bytes;
        }

        public long number() {
            byte[] bytes = bytes();
            require(bytes.length == Long.BYTES, "a number of 8 bytes was expected");
            return ByteBuffer.wrap(bytes).getLong();
        }

        @Nullable
        public Long numberOrNull() {
            byte[] bytes = bytesOrNull();
            require(bytes == null || bytes.length == Long.BYTES, "a number of 8 bytes was expected");
            return bytes == null ? null : ByteBuffer.wrap(bytes).getLong();
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
            byte[] bytes = bytesOrNull();
            return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
        }

        public String text() {
            return new String(bytes(), StandardCharsets.UTF_8);
        }

        /** Refuses a message with more fields than were read. */
        public void end() {
            require(position == message.length, "the message has more fields than expected");
        }

        private static void require(boolean condition, String otherwise) {
            if (!condition) {
                throw new IllegalArgumentException(otherwise);
            }
        }
    }
}
