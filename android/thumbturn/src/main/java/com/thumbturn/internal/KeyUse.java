package com.thumbturn.internal;

import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.PrivateKey;
import java.security.Signature;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;

/** What a key is used for; each use begins an operation of the Keystore. */
enum KeyUse {
    SIGN(1) {
        @Override
        Object begin(Key key, @Nullable byte[] iv) throws GeneralSecurityException {
            Signature signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign((PrivateKey) key);
            return signature;
        }
    },
    ENCRYPT(2) {
        @Override
        Object begin(Key key, @Nullable byte[] iv) throws GeneralSecurityException {
            Cipher cipher = Cipher.getInstance(TRANSFORMATION);
            cipher.init(Cipher.ENCRYPT_MODE, key); // The Keystore chooses the IV.
            return cipher;
        }
    },
    DECRYPT(3) {
        @Override
        Object begin(Key key, @Nullable byte[] iv) throws GeneralSecurityException {
            if (key instanceof PrivateKey) {
                return Oaep.cipher(Cipher.DECRYPT_MODE, key);
            }
            Cipher cipher = Cipher.getInstance(TRANSFORMATION);
            byte[] nonce = iv == null ? new byte[IV_BYTES] : iv;
            cipher.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(TAG_BITS, nonce));
            return cipher;
        }
    },
    MAC(4) {
        @Override
        Object begin(Key key, @Nullable byte[] iv) throws GeneralSecurityException {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            return mac;
        }
    };

    private static final String TRANSFORMATION = "AES/GCM/NoPadding";
    private static final int IV_BYTES = 12;
    private static final int TAG_BITS = 128;

    private final int number;

    KeyUse(int number) {
        this.number = number;
    }

    static KeyUse of(long number) {
        for (KeyUse use : values()) {
            if (use.number == number) {
                return use;
            }
        }
        throw new IllegalArgumentException("there is no use " + number);
    }

    /** Begins the operation: a Signature, Cipher or Mac that is ready, or that a prompt must authorise first. */
    abstract Object begin(Key key, @Nullable byte[] iv) throws GeneralSecurityException;
}
