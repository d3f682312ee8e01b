package com.thumbturn;

import com.thumbturn.internal.Message;

/** What a full sign-in is for. It prints without the reason. */
public final class SignInRequest {
    /** Why the person is asked, in the app's words. */
    public final String reason;

    /** The thumbprint of the session key that the credentials will serve: the nonce for an ID token. */
    public final String keyThumbprint;

    SignInRequest(Message.Reader fields) {
        reason = fields.text();
        keyThumbprint = fields.text();
    }

    @Override
    public String toString() {
        return "full sign-in";
    }
}
