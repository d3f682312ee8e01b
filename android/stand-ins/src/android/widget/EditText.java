package android.widget;

import android.content.Context;
import android.text.Editable;

public class EditText extends TextView {
    public EditText(Context context) {
        super(context);
    }

    @Override
    public Editable getText() {
        return new Contents();
    }

    /** What the field holds now. */
    private final class Contents implements Editable {
        private String now() {
            return EditText.super.getText().toString();
        }

        @Override
        public char charAt(int index) {
            return now().charAt(index);
        }

        @Override
        public void clear() {
            setText("");
        }

        @Override
        public int length() {
            return now().length();
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return now().subSequence(start, end);
        }

        @Override
        public String toString() {
            return now();
        }
    }
}
