package com.thumbturn;

import androidx.annotation.Nullable;
import com.thumbturn.internal.Message;

/** A request for a full sign-in. It prints without the reason. */
public final class SignInRequest {
    /** Why the person is asked, in the app's words. */
    public final String reason;

    /**
     * The thumbprint of the session key that the credentials will serve: the nonce for an ID token, alone or followed by a
     * period and text that no other sign-in has.
     */
    public final String keyThumbprint;

    /** Its purpose: {@code sign-in}, {@code enrolment}, {@code new-pin} or {@code new-biometric-key}. */
    public final String purpose;

    /**
     * The server's time, in seconds since 1970, before which an authentication at a provider does not count; null for a
     * sign-in on a device without an owner, where a session that the provider already has is enough. With a time ask the provider for
     * {@code prompt=login} and {@code max_age=0}.
     */
    @Nullable public final Long freshSince;

    SignInRequest(Message.Reader fields) {
        reason = fields.text();
        keyThumbprint = fields.text();
        purpose = fields.text();
        String since = fields.textOrNull();
        freshSince = since == null ? null : Long.valueOf(since);
    }

    @Override
    public String toString() {
        return "full sign-in";
    }
}
