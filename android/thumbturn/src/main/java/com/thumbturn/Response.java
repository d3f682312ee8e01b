package com.thumbturn;

import com.thumbturn.internal.Message;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** An answer of one of the app's own APIs, whatever its status. It prints its status only. */
public final class Response {
    /** The HTTP status. */
    public final int status;

    /** The header fields, with names in lower case. */
    public final Map<String, String> headers;

    private final byte[] body;

    private Response(Message.Reader fields) {
        status = fields.number(100, 599);
        headers = headers(fields);
        body = fields.bytes();
    }

    static Response read(Message.Reader fields) {
        return new Response(fields);
    }

    static Map<String, String> headers(Message.Reader fields) {
        Map<String, String> headers = new LinkedHashMap<>();
        fields.list(each -> headers.put(each.text(), each.text()));
        return Collections.unmodifiableMap(headers);
    }

    /** The body; empty where there is none. */
    public byte[] body() {
        return body.clone();
    }

    @Override
    public String toString() {
        return "Response " + status;
    }
}
