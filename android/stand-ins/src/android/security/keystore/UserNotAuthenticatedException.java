package android.security.keystore;

public class UserNotAuthenticatedException extends java.security.InvalidKeyException {
    private static final long serialVersionUID = 1;

    public UserNotAuthenticatedException(String message, Throwable cause) {
        super(message, cause);
    }
}
