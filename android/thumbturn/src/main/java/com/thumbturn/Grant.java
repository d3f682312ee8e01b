package com.thumbturn;

import com.thumbturn.internal.Message;
import java.time.Instant;

/** The outcome of a successful authentication. It prints without the token. */
public final class Grant {
    /** The rung whose key answered. */
    public final Rung rung;

    /** The access token. It is bound to this device's session key and useless without a proof of that key. */
    public final String accessToken;

    /** When the access token expires, by the device's clock. */
    public final Instant expiresAt;

    private Grant(Message.Reader fields) {
        rung = Rung.named(fields.text());
        accessToken = fields.text();
        expiresAt = Instant.ofEpochSecond(fields.number());
    }

    static Grant read(Message.Reader fields) {
        return new Grant(fields);
    }

    @Override
    public String toString() {
        return "granted by " + rung.code;
    }
}
