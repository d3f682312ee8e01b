package android.security.keystore;

import com.thumbturn.fake.FakeAndroid;
import java.security.spec.AlgorithmParameterSpec;

public final class KeyGenParameterSpec implements AlgorithmParameterSpec {
    private final Builder from;

    private KeyGenParameterSpec(Builder from) {
        this.from = from;
    }

    public AlgorithmParameterSpec getAlgorithmParameterSpec() {
        return from.algorithm;
    }

    public byte[] getAttestationChallenge() {
        return from.challenge;
    }

    public String[] getBlockModes() {
        return from.blockModes;
    }

    public String[] getDigests() {
        return from.digests;
    }

    public String[] getEncryptionPaddings() {
        return from.paddings;
    }

    public int getKeySize() {
        return from.keySize;
    }

    public String getKeystoreAlias() {
        return from.alias;
    }

    public int getPurposes() {
        return from.purposes;
    }

    public int getUserAuthenticationType() {
        FakeAndroid.since(30);
        return from.authenticationType;
    }

    public int getUserAuthenticationValidityDurationSeconds() {
        return from.validity;
    }

    public boolean isInvalidatedByBiometricEnrollment() {
        return from.invalidated;
    }

    public boolean isStrongBoxBacked() {
        return from.strongBox;
    }

    public boolean isUnlockedDeviceRequired() {
        return from.unlockedDevice;
    }

    public boolean isUserAuthenticationRequired() {
        return from.authenticationRequired;
    }

    public static final class Builder {
        private final String alias;
        private final int purposes;
        private AlgorithmParameterSpec algorithm;
        private byte[] challenge;
        private String[] blockModes = {};
        private String[] digests = {};
        private String[] paddings = {};
        private int keySize = -1;
        private boolean authenticationRequired;
        private int authenticationType = KeyProperties.AUTH_BIOMETRIC_STRONG;
        private int validity = -1;
        private boolean invalidated = true;
        private boolean strongBox;
        private boolean unlockedDevice;

        public Builder(String keystoreAlias, int purposes) {
            this.alias = keystoreAlias;
            this.purposes = purposes;
        }

        public KeyGenParameterSpec build() {
            return new KeyGenParameterSpec(this);
        }

        public Builder setAlgorithmParameterSpec(AlgorithmParameterSpec spec) {
            algorithm = spec;
            return this;
        }

        public Builder setAttestationChallenge(byte[] attestationChallenge) {
            challenge = attestationChallenge;
            return this;
        }

        public Builder setBlockModes(String... blockModes) {
            this.blockModes = blockModes;
            return this;
        }

        public Builder setDigests(String... digests) {
            this.digests = digests;
            return this;
        }

        public Builder setEncryptionPaddings(String... paddings) {
            this.paddings = paddings;
            return this;
        }

        public Builder setInvalidatedByBiometricEnrollment(boolean invalidateKey) {
            invalidated = invalidateKey;
            return this;
        }

        public Builder setIsStrongBoxBacked(boolean isStrongBoxBacked) {
            strongBox = isStrongBoxBacked;
            return this;
        }

        public Builder setKeySize(int keySize) {
            this.keySize = keySize;
            return this;
        }

        public Builder setUnlockedDeviceRequired(boolean unlockedDeviceRequired) {
            unlockedDevice = unlockedDeviceRequired;
            return this;
        }

        public Builder setUserAuthenticationParameters(int timeout, int type) {
            FakeAndroid.since(30);
            validity = timeout == 0 ? -1 : timeout;
            authenticationType = type;
            return this;
        }

        public Builder setUserAuthenticationRequired(boolean required) {
            authenticationRequired = required;
            return this;
        }
    }
}
