package com.thumbturn.internal;

import java.security.GeneralSecurityException;
import java.security.Signature;
import java.util.HashMap;
import java.util.Map;
import javax.crypto.Cipher;

/** The operations that a prompt has authorised and that Swift has not yet used. */
final class Handles {
    private final Map<Long, Object> kept = new HashMap<>();
    private long last;

    synchronized long keep(Object operation) {
        kept.put(++last, operation);
        return last;
    }

    synchronized void release(long handle) {
        kept.remove(handle);
    }

    /** Finishes the operation with the bytes; a handle can be used once. */
    byte[] use(long handle, byte[] bytes) throws GeneralSecurityException {
        Object operation = take(handle);
        if (operation instanceof Signature) {
            Signature signature = (Signature) operation;
            signature.update(bytes);
            return signature.sign();
        }
        return ((Cipher) operation).doFinal(bytes);
    }

    private synchronized Object take(long handle) {
        Object operation = kept.remove(handle);
        if (operation == null) {
            throw new IllegalStateException("the handle was used, released or never given");
        }
        return operation;
    }
}
