package com.thumbturn.internal;

import android.os.Build;
import android.security.keystore.KeyGenParameterSpec;
import android.security.keystore.KeyInfo;
import androidx.annotation.RequiresApi;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.PrivateKey;
import java.security.ProviderException;
import java.security.Signature;
import java.security.cert.Certificate;
import java.util.Collections;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.KeyGenerator;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;

/** Makes, uses and removes the keys of the Android Keystore. Only on the Keystore's worker. */
final class KeystoreKeys {
    private static final String PROVIDER = "AndroidKeyStore";

    /** All aliases of this library begin with it; the app's own keys must never be listed for removal. */
    private static final String OWN_ALIASES = "thumbturn.";

    /** The key that is there from the first thing on that the library stores. */
    private static final String FIRST_KEY = OWN_ALIASES + "secrets";

    /** Makes a key, in StrongBox if its kind wants that and StrongBox can, else in the trusted environment. */
    Message.Writer create(String alias, KeyKind kind, @Nullable byte[] challenge) throws GeneralSecurityException, IOException {
        String strongBoxThrew = kind.inStrongBox ? createInStrongBox(alias, kind, challenge) : null;
        if (!kind.inStrongBox || strongBoxThrew != null) {
            generate(kind, kind.specification(alias, challenge, false));
        }
        return new Message.Writer()
                .bytes(publicKey(alias))
                .number(securityLevel(kind, key(alias)))
                .text(strongBoxThrew);
    }

    /**
     * Makes a key in StrongBox; null once it has, else the class of what StrongBox threw.
     *
     * <p>Makers' StrongBoxes fail with a {@link ProviderException} of any class, or make keys that they then cannot use: some know
     * no OAEP with SHA-1 for MGF1. So the key's first use is begun, and dropped.
     */
    @Nullable
    private static String createInStrongBox(String alias, KeyKind kind, @Nullable byte[] challenge)
            throws GeneralSecurityException {
        try {
            generate(kind, kind.specification(alias, challenge, true));
        } catch (ProviderException unavailable) {
            return unavailable.getClass().getName();
        }
        try {
            kind.algorithm.use.begin(key(alias), null);
            return null;
        } catch (Exception useless) {
            return useless.getClass().getName();
        }
    }

    /** Whether there is a key under the alias; throws where the Keystore cannot tell. */
    boolean exists(String alias) throws GeneralSecurityException, IOException {
        KeyStore store = store();
        // From level 31 on containsAlias also returns false when the Keystore fails. getKey throws then.
        return store.containsAlias(alias) || store.getKey(alias, null) != null;
    }

    /** Begins an operation and drops it; false where there is no such alias. */
    boolean probe(String alias, KeyUse use, @Nullable byte[] iv) throws GeneralSecurityException, IOException {
        Key key = store().getKey(alias, null);
        if (key == null) {
            return false;
        }
        use.begin(key, iv);
        return true;
    }

    /** Begins an operation that a prompt may have to authorise. */
    Object begin(String alias, KeyUse use, @Nullable byte[] iv) throws GeneralSecurityException, IOException {
        return use.begin(key(alias), iv);
    }

    /** The public half; null for a symmetric key and where there is no key. Throws where the Keystore cannot tell. */
    @Nullable
    byte[] publicKey(String alias) throws GeneralSecurityException, IOException {
        KeyStore store = store();
        Certificate certificate = store.getCertificate(alias);
        if (certificate == null) {
            checkWithoutCertificate(store, alias);
            return null;
        }
        return certificate.getPublicKey().getEncoded();
    }

    /** The certificates; none for a symmetric key and where there is no key. Throws where the Keystore cannot tell. */
    Message.Writer certificateChain(String alias) throws GeneralSecurityException, IOException {
        KeyStore store = store();
        Certificate[] chain = store.getCertificateChain(alias);
        if (chain == null) {
            checkWithoutCertificate(store, alias);
            return new Message.Writer().number(0);
        }
        Message.Writer list = new Message.Writer().number(chain.length);
        for (Certificate certificate : chain) {
            list.bytes(certificate.getEncoded());
        }
        return list;
    }

    /**
     * Throws where a key without a certificate is an error of the Keystore. From level 31 on the certificates are null then, too;
     * getKey throws, or finds a pair, which has a certificate.
     */
    private static void checkWithoutCertificate(KeyStore store, String alias) throws GeneralSecurityException {
        if (store.getKey(alias, null) instanceof PrivateKey) {
            throw new KeyStoreException("the Keystore did not give the certificate of a key that is there");
        }
    }

    void delete(String alias) throws GeneralSecurityException, IOException {
        store().deleteEntry(alias);
    }

    int deleteAll(String prefix) throws GeneralSecurityException, IOException {
        if (!prefix.startsWith(OWN_ALIASES)) {
            throw new IllegalArgumentException("the prefix does not begin with " + OWN_ALIASES);
        }
        KeyStore store = store();
        int deleted = 0;
        for (String alias : aliases(store)) {
            if (alias.startsWith(prefix)) {
                store.deleteEntry(alias);
                deleted++;
            }
        }
        return deleted;
    }

    /**
     * The aliases of the app; throws where the Keystore cannot list them. Its levels 31 to 33 throw a NullPointerException then,
     * and the others list nothing.
     */
    private static List<String> aliases(KeyStore store) throws GeneralSecurityException {
        List<String> aliases;
        try {
            aliases = Collections.list(store.aliases());
        } catch (RuntimeException failed) {
            throw new KeyStoreException("the Keystore did not list its keys", failed);
        }
        // getKey throws where the Keystore fails as a whole.
        if (aliases.isEmpty() && store.getKey(FIRST_KEY, null) != null) {
            throw new KeyStoreException("the Keystore did not list its keys");
        }
        return aliases;
    }

    byte[] sign(String alias, byte[] bytes) throws GeneralSecurityException, IOException {
        Signature signature = (Signature) begin(alias, KeyUse.SIGN, null);
        signature.update(bytes);
        return signature.sign();
    }

    byte[] mac(String alias, byte[] bytes) throws GeneralSecurityException, IOException {
        return ((Mac) begin(alias, KeyUse.MAC, null)).doFinal(bytes);
    }

    Message.Writer encrypt(String alias, byte[] plain) throws GeneralSecurityException, IOException {
        Cipher cipher = (Cipher) begin(alias, KeyUse.ENCRYPT, null);
        byte[] sealed = cipher.doFinal(plain);
        return new Message.Writer().bytes(cipher.getIV()).bytes(sealed);
    }

    byte[] decrypt(String alias, byte[] iv, byte[] sealed) throws GeneralSecurityException, IOException {
        return ((Cipher) begin(alias, KeyUse.DECRYPT, iv)).doFinal(sealed);
    }

    private static void generate(KeyKind kind, KeyGenParameterSpec specification) throws GeneralSecurityException {
        if (kind.algorithm.isPair) {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(kind.algorithm.keystoreName, PROVIDER);
            generator.initialize(specification);
            generator.generateKeyPair();
        } else {
            KeyGenerator generator = KeyGenerator.getInstance(kind.algorithm.keystoreName, PROVIDER);
            generator.init(specification);
            generator.generateKey();
        }
    }

    private static int securityLevel(KeyKind kind, Key key) throws GeneralSecurityException {
        KeyInfo info;
        String algorithm = kind.algorithm.keystoreName;
        if (kind.algorithm.isPair) {
            info = KeyFactory.getInstance(algorithm, PROVIDER).getKeySpec((PrivateKey) key, KeyInfo.class);
        } else {
            info = (KeyInfo) SecretKeyFactory.getInstance(algorithm, PROVIDER).getKeySpec((SecretKey) key, KeyInfo.class);
        }
        return Build.VERSION.SDK_INT >= 31 ? level(info) : insideHardware(info);
    }

    @RequiresApi(31)
    private static int level(KeyInfo info) {
        return info.getSecurityLevel();
    }

    @SuppressWarnings("deprecation") // The only answer before level 31.
    private static int insideHardware(KeyInfo info) {
        return info.isInsideSecureHardware() ? 1 : 0;
    }

    private static Key key(String alias) throws GeneralSecurityException, IOException {
        Key key = store().getKey(alias, null);
        if (key == null) {
            throw new NoSuchKeyException();
        }
        return key;
    }

    private static KeyStore store() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(PROVIDER);
        store.load(null);
        return store;
    }
}
