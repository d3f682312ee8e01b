package com.thumbturn.internal;

import java.security.GeneralSecurityException;

/** The Keystore has no key under the alias that was asked for. */
final class NoSuchKeyException extends GeneralSecurityException {
    private static final long serialVersionUID = 1;
}
