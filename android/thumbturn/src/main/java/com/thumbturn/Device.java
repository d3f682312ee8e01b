package com.thumbturn;

import com.thumbturn.internal.Message;
import java.time.Instant;
import java.util.List;

/** A device of the account, as the server knows it. It prints without its id and name. */
public final class Device {
    /** One of a device's keys. */
    public static final class Key {
        /** The key's RFC 7638 thumbprint; the random handle of a PIN key. */
        public final String id;

        /** What the key is for. */
        public final KeyKind kind;

        /** False until a key that was registered without a proof of its own has signed once. */
        public final boolean isActive;

        private Key(Message.Reader fields) {
            id = fields.text();
            kind = KeyKind.named(fields.text());
            isActive = fields.flag();
        }
    }

    /** The device's id at the server. */
    public final String id;

    /** The name that the person gave it, as one line that can be shown. */
    public final String name;

    /** When it was enrolled, by the server's clock. */
    public final Instant enrolledAt;

    /** Whether it is this device. */
    public final boolean isCurrent;

    /** Whether it is an app that signs in with a key of another library and does nothing else. */
    public final boolean onlySignsIn;

    /** Its keys. */
    public final List<Key> keys;

    private Device(Message.Reader fields) {
        id = fields.text();
        name = fields.text();
        enrolledAt = Instant.ofEpochSecond(fields.number());
        isCurrent = fields.flag();
        onlySignsIn = fields.flag();
        keys = fields.list(Key::new);
    }

    static Device read(Message.Reader fields) {
        return new Device(fields);
    }

    void write(Message.Writer to) {
        to.text(id).text(name).number(enrolledAt.getEpochSecond()).flag(isCurrent).flag(onlySignsIn);
        to.list(keys, (message, key) -> message.text(key.id).text(key.kind.code).flag(key.isActive));
    }

    @Override
    public String toString() {
        return isCurrent ? "this device" : "device";
    }
}
