package android.security.keystore;

public class KeyPermanentlyInvalidatedException extends java.security.InvalidKeyException {
    private static final long serialVersionUID = 1;

    public KeyPermanentlyInvalidatedException(String message, Throwable cause) {
        super(message, cause);
    }
}
