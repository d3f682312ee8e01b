package com.thumbturn.fake;

import android.security.keystore.KeyGenParameterSpec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.ECGenParameterSpec;

/** Certificates of keys: with a challenge an attestation under a root of ours, else a lone one as the Keystore makes it. */
public final class FakeCertificates {
    private static final byte[] ECDSA_WITH_SHA256 = sequence(oid(1, 2, 840, 10045, 4, 3, 2));
    private static final byte[] ATTESTATION = oid(1, 3, 6, 1, 4, 1, 11129, 2, 1, 17);
    private static final int KEYMINT_VERSION = 300;
    private static final KeyPair ROOT = pair();
    private static final byte[] ROOT_CERTIFICATE = certificate("Root", "Root", ROOT.getPublic(), basicConstraints());

    private FakeCertificates() {}

    /** The root under which this phone's keys are attested. */
    public static byte[] root() {
        return ROOT_CERTIFICATE.clone();
    }

    static Certificate[] chain(FakeKey key) throws GeneralSecurityException {
        byte[] challenge = key.spec.getAttestationChallenge();
        PublicKey subject = key.pair.getPublic();
        if (challenge == null) {
            return new Certificate[] {parse(certificate("Android Keystore Key", "Android Keystore Key", subject, new byte[0]))};
        }
        byte[] extension = sequence(ATTESTATION, octets(description(key, challenge)));
        byte[] leaf = certificate("Root", "Android Keystore Key", subject, extension);
        return new Certificate[] {parse(leaf), parse(ROOT_CERTIFICATE)};
    }

    private static byte[] description(FakeKey key, byte[] challenge) {
        KeyGenParameterSpec spec = key.spec;
        byte[] level = tagged(0x0a, new byte[] {(byte) key.securityLevel()});
        byte[] lock = spec.isUserAuthenticationRequired()
                ? explicit(504, integer(key.authenticationType()))
                : explicit(503, tagged(0x05, new byte[0]));
        byte[] rootOfTrust = sequence(
                octets(new byte[32]), tagged(0x01, new byte[] {(byte) 0xff}), tagged(0x0a, new byte[] {0}), octets(new byte[32]));
        boolean rsa = key.algorithm.equals("RSA");
        byte[] hardware = sequence(
                explicit(1, tagged(0x31, integer(rsa ? 1 : 2))),
                explicit(2, integer(rsa ? 1 : 3)),
                explicit(3, integer(rsa ? 2048 : 256)),
                explicit(5, tagged(0x31, rsa ? concat(integer(2), integer(4)) : integer(4))),
                rsa ? new byte[0] : explicit(10, integer(1)),
                lock,
                explicit(702, integer(0)),
                explicit(704, rootOfTrust),
                explicit(705, integer(160000)),
                explicit(706, integer(202611)));
        byte[] software = sequence(explicit(709, octets(applicationID())));
        return sequence(
                integer(KEYMINT_VERSION),
                level,
                integer(KEYMINT_VERSION),
                level,
                octets(challenge),
                octets(new byte[0]),
                software,
                hardware);
    }

    /** The app's package and the digest of its signing certificate, here that of the package's name. */
    private static byte[] applicationID() {
        byte[] name = FakeAndroid.now().application.getPackageName().getBytes(StandardCharsets.UTF_8);
        return sequence(
                tagged(0x31, sequence(octets(name), integer(1))),
                tagged(0x31, octets(sha256(name))));
    }

    private static byte[] certificate(String issuer, String subject, PublicKey key, byte[] extension) {
        byte[] extensions = extension.length == 0 ? extension : tagged(0xa3, sequence(extension));
        byte[] body = sequence(
                tagged(0xa0, integer(2)),
                integer(1),
                ECDSA_WITH_SHA256,
                name(issuer),
                sequence(tagged(0x17, ascii("700101000000Z")), tagged(0x17, ascii("480101000000Z"))),
                name(subject),
                key.getEncoded(),
                extensions);
        try {
            Signature signature = Signature.getInstance("SHA256withECDSA", "SunEC");
            signature.initSign(ROOT.getPrivate());
            signature.update(body);
            return sequence(body, ECDSA_WITH_SHA256, tagged(0x03, concat(new byte[] {0}, signature.sign())));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static byte[] basicConstraints() {
        byte[] isAuthority = sequence(tagged(0x01, new byte[] {(byte) 0xff}));
        return sequence(oid(2, 5, 29, 19), tagged(0x01, new byte[] {(byte) 0xff}), octets(isAuthority));
    }

    private static Certificate parse(byte[] der) throws GeneralSecurityException {
        return CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
    }

    private static KeyPair pair() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC", "SunEC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static byte[] name(String common) {
        byte[] text = tagged(0x0c, common.getBytes(StandardCharsets.UTF_8));
        return sequence(tagged(0x31, sequence(oid(2, 5, 4, 3), text)));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] integer(long value) {
        return tagged(0x02, BigInteger.valueOf(value).toByteArray());
    }

    private static byte[] octets(byte[] bytes) {
        return tagged(0x04, bytes);
    }

    private static byte[] sequence(byte[]... parts) {
        return tagged(0x30, concat(parts));
    }

    private static byte[] oid(int... arcs) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(arcs[0] * 40 + arcs[1]);
        for (int index = 2; index < arcs.length; index++) {
            base128(out, arcs[index]);
        }
        return tagged(0x06, out.toByteArray());
    }

    /** A context tag of any number around a value. */
    private static byte[] explicit(int number, byte[] value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        if (number < 31) {
            out.write(0xa0 | number);
        } else {
            out.write(0xbf);
            base128(out, number);
        }
        return withLength(out, value);
    }

    private static byte[] tagged(int tag, byte[] value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        return withLength(out, value);
    }

    private static byte[] withLength(ByteArrayOutputStream out, byte[] value) {
        if (value.length > 0xff) {
            out.write(0x82);
            out.write(value.length >> 8);
        } else if (value.length > 0x7f) {
            out.write(0x81);
        }
        out.write(value.length);
        out.writeBytes(value);
        return out.toByteArray();
    }

    private static void base128(ByteArrayOutputStream out, int value) {
        for (int shift = 28; shift > 0; shift -= 7) {
            if (value >> shift != 0) {
                out.write(0x80 | value >> shift & 0x7f);
            }
        }
        out.write(value & 0x7f);
    }

    private static byte[] concat(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
