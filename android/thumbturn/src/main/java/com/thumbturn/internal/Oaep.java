package com.thumbturn.internal;

import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import javax.crypto.Cipher;
import javax.crypto.spec.OAEPParameterSpec;
import javax.crypto.spec.PSource;

/**
 * RSA-OAEP (RFC 8017, section 7.1) with SHA-256, MGF1 with SHA-1 and an empty label.
 *
 * <p>The Keystore knows no other digest for MGF1 before level 35, so it is named on both sides.
 */
final class Oaep {
    private static final String TRANSFORMATION = "RSA/ECB/OAEPPadding";

    private Oaep() {}

    /** Wraps the bytes to a public key, in software and without a prompt. */
    static byte[] wrap(byte[] spki, byte[] plain) throws GeneralSecurityException {
        // Imported anew: the Keystore's own public key object would bring the key's restrictions along.
        PublicKey key = KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(spki));
        return cipher(Cipher.ENCRYPT_MODE, key).doFinal(plain);
    }

    static Cipher cipher(int mode, Key key) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(TRANSFORMATION);
        cipher.init(mode, key, new OAEPParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA1, PSource.PSpecified.DEFAULT));
        return cipher;
    }
}
