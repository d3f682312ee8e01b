package com.thumbturn.fake;

import java.security.Provider;
import java.security.Security;

/** The fake Keystore as a JCA provider, under the name that apps ask for. */
public final class FakeProvider extends Provider {
    private static final long serialVersionUID = 1;

    static final FakeProvider INSTANCE = new FakeProvider();

    private FakeProvider() {
        super("AndroidKeyStore", "1.0", "A fake Android Keystore");
        String here = "com.thumbturn.fake.";
        put("KeyStore.AndroidKeyStore", here + "FakeKeyStoreSpi");
        put("KeyPairGenerator.EC", here + "FakeGenerators$EcPairs");
        put("KeyPairGenerator.RSA", here + "FakeGenerators$RsaPairs");
        put("KeyGenerator.AES", here + "FakeGenerators$Aes");
        put("KeyGenerator.HmacSHA256", here + "FakeGenerators$Hmac");
        put("KeyFactory.EC", here + "FakeKeyInfos$Pairs");
        put("KeyFactory.RSA", here + "FakeKeyInfos$Pairs");
        put("SecretKeyFactory.AES", here + "FakeKeyInfos$Secrets");
        put("SecretKeyFactory.HmacSHA256", here + "FakeKeyInfos$Secrets");
        put("Signature.SHA256withECDSA", here + "FakeSignature");
        put("Signature.SHA256withECDSA SupportedKeyClasses", here + "FakeKey$Private");
        put("Cipher.AES/GCM/NoPadding", here + "FakeCipher");
        put("Cipher.AES/GCM/NoPadding SupportedKeyClasses", here + "FakeKey$Secret");
        put("Cipher.RSA/ECB/OAEPPadding", here + "FakeOaepCipher");
        put("Cipher.RSA/ECB/OAEPPadding SupportedKeyClasses", here + "FakeKey$Private");
        put("Mac.HmacSHA256", here + "FakeMac");
        put("Mac.HmacSHA256 SupportedKeyClasses", here + "FakeKey$Secret");
    }

    static void register() {
        Security.addProvider(INSTANCE);
    }
}
