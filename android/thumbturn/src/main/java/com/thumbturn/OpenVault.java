package com.thumbturn;

import static java.util.Objects.requireNonNull;

import androidx.annotation.Nullable;
import com.thumbturn.internal.Message;
import java.util.concurrent.CompletableFuture;

/**
 * A vault that is open until the body that was given it has ended. After that every use fails with {@link Failure#VAULT_CLOSED}.
 *
 * <p>Arrays that are given and taken stay the app's, which wipes them once it is done with them. Of the library's own copies
 * those in Java are wiped, and those in Swift are freed and not overwritten.
 */
public final class OpenVault {
    private static final int READ = 35;
    private static final int SAVE = 36;
    private static final int DELETE = 37;
    private static final int SEAL = 40;
    private static final int OPEN = 41;

    /** The rung that opened the vault. */
    public final Rung rung;

    private final Handle handle;

    OpenVault(Handle handle, Rung rung) {
        this.handle = handle;
        this.rung = rung;
    }

    /** Reads the secret of this name; null where there is none. */
    public CompletableFuture<byte[]> read(String name) {
        return handle.call(READ, new Message.Writer().text(requireNonNull(name, "name")), Message.Reader::bytesOrNull);
    }

    /** Stores a secret, replacing one of the same name. All secrets of a vault together have 64 KiB at most. */
    public CompletableFuture<Void> save(String name, byte[] secret) {
        Message.Writer request = new Message.Writer().text(requireNonNull(name, "name"));
        return handle.call(SAVE, request.bytes(requireNonNull(secret, "secret")));
    }

    /** Deletes a secret; one that is not there is no failure. */
    public CompletableFuture<Void> delete(String name) {
        return handle.call(DELETE, new Message.Writer().text(requireNonNull(name, "name")));
    }

    /** Seals bytes for a file outside the vault. The app counts the revision, so that an older copy can be refused. */
    public CompletableFuture<byte[]> seal(byte[] bytes, String file, long revision) {
        Message.Writer request = new Message.Writer().text(requireNonNull(file, "file")).number(revision);
        return handle.call(SEAL, request.bytes(requireNonNull(bytes, "bytes")), Message.Reader::bytes);
    }

    /**
     * Opens what {@link #seal} gave for the same name; anything else fails with {@link Failure#NOT_AUTHENTIC}. Null takes any
     * revision, so that an old copy that was put back is not noticed.
     */
    public CompletableFuture<byte[]> open(byte[] sealed, String file, @Nullable Long leastRevision) {
        Message.Writer request = new Message.Writer().text(requireNonNull(file, "file")).numberOrNull(leastRevision);
        return handle.call(OPEN, request.bytes(requireNonNull(sealed, "sealed")), Message.Reader::bytes);
    }

    /** The type, without what it holds. */
    @Override
    public String toString() {
        return "OpenVault";
    }
}
