// Every object of one of the libraries, linked with what that library says it uses: whatever is not in there does not
// link.
int main() { return 0; }
