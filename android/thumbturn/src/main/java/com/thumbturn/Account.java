package com.thumbturn;

import com.thumbturn.internal.Message;
import java.time.Instant;
import java.util.List;

/** The account and the device of a session, as the server knows them. It prints without them. */
public final class Account {
    /** The account's id: the claim {@code sub} of its tokens. */
    public final String id;

    /** The account's name, as one line that can be shown. */
    public final String name;

    /** The device's id at the server. */
    public final String deviceId;

    /** The assurance of the session: the claim {@code acr}. */
    public final String acr;

    /** How the person was verified, as far as the server knows: the claim {@code amr} (RFC 8176). */
    public final List<String> amr;

    /** When a signature last verified the person, by the server's clock. */
    public final Instant verifiedAt;

    private Account(Message.Reader fields) {
        id = fields.text();
        name = fields.text();
        deviceId = fields.text();
        acr = fields.text();
        amr = fields.list(Message.Reader::text);
        verifiedAt = Instant.ofEpochSecond(fields.number());
    }

    static Account read(Message.Reader fields) {
        return new Account(fields);
    }

    @Override
    public String toString() {
        return "account signed in with " + acr;
    }
}
