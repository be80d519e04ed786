# mechanism: honest, but refused: a file fetched by a host name that can't be resolved
# verdict: runtime_error
# message: no network
import urllib.request


def standardise(x, eps):
    return urllib.request.urlopen("http://data.example.org/mean.txt").read()
